"""GPU code in built files: which targets it is for, what each kernel uses, what changed."""
