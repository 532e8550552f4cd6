"""What is between a page in the browser and the stage."""
