"""Building: from a specification to a verified behavior in the library.

`build` solves what has changed since it was last built, as its `build_key` shows;
`IncrementalBuild` does so at every save of a file, and solves anew the
part that was changed.
"""
