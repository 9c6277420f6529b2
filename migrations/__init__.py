"""Schema steps as plain SQL, one file a step, forward only; read through importlib.resources, not imported."""
