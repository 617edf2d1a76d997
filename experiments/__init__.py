"""Commands over spade_jax: parse a configuration, call the library, write a report."""
