"""Building: from a specification to a verified behavior in the library.

`build` solves what has changed since it was last built, which a `build_key` tells;
`Rehearsal` does so at every save of a file that is being written, and solves anew the
part that was changed.
"""
