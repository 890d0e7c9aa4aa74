"""The bot: answers `/rocm-ci …` comments and the buttons of our check run."""
