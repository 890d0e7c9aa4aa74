"""What machine this is: collectors, matching of devices across sources, facts, machine checks."""
