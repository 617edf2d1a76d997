"""The bundled collection of written programs: make requests, take answers in, examine all again."""
