"""How each kind of suite is run and what it wrote is read; one module per runner, found by the listing."""
