"""Reports: self-contained pages about behaviors and runs."""
