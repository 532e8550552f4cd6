"""Links to files of the source lead to what the reference says of them."""

from pathlib import PurePosixPath
from typing import Any

from docutils import nodes
from source_pages import PACKAGES, anchor, page_name
from sphinx import addnodes
from sphinx.transforms import SphinxTransform


class SourceLinks(SphinxTransform):
    """Before files that are linked are copied, because those of the source are not."""

    default_priority = 400

    def apply(self, **_: Any) -> None:
        """Replaces links to modules by links to their places in the reference."""
        for link in list(self.document.findall(addnodes.download_reference)):
            _, absolute = self.env.relfn2path(link["reftarget"], self.env.docname)
            path = PurePosixPath(absolute).relative_to(str(self.env.srcdir))
            if path.suffix != ".py" or path.parts[0] not in PACKAGES:
                continue
            page = self.app.builder.get_relative_uri(self.env.docname, page_name(path))
            to = nodes.reference(
                "", "", *link.children, refuri=f"{page}#{anchor(path)}", internal=True
            )
            link.replace_self(to)


def setup(app: Any) -> dict[str, bool]:
    """Registers the transformation."""
    app.add_transform(SourceLinks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
