"""The behavior library: `Behavior`, its table, and the store of verified motions."""
