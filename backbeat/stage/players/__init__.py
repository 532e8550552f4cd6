"""Players: live shows that obey their pages."""
