"""What runs when and on how many GPUs: estimates, order, progress. Knows neither GPUs nor suites."""
