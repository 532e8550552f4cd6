"""From behavior and measured state to torque, and closed-loop simulation."""
