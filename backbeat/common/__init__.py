"""What commands share: verified behaviors, words about cards, Drake's own messages."""
