"""Descriptions that change others: overlays, attachments, differences, reports."""
