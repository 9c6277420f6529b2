"""The domain on PostgreSQL: what the service knows, and the rules that hold whoever asks."""
