"""What an operator decides: bundles retracted, invalidated, released; bundles judged again."""
