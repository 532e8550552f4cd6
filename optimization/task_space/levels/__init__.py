"""Levels of priority: what tasks can do without disturbing those above."""
