"""From specification to verified motion in the library, whole or at every save."""
