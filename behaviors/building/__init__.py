"""Building: from a specification to a verified behavior in the library.

`build` solves what has changed since it was last built, which a `build_key` tells;
`IncrementalBuild` does so at every save of a file, and solves anew the
part that was changed.
"""
