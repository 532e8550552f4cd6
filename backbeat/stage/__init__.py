"""The stage: what one sees in Meshcat, live and recorded."""
