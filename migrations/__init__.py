"""Schema steps in SQL, one file a step, forward only; read through importlib.resources, never imported."""
