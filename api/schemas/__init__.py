"""What only HTTP knows; the shapes of the plan itself are in ipam_core.model."""
