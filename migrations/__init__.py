"""Schema steps as plain SQL, one file a step, forward only; found through importlib.resources, never imported."""
