"""Pages of reports: one HTML file each that needs nothing else."""

from pathlib import Path

import jinja2


def rendered(template: str, **values: object) -> str:
    """HTML of a template of this folder; what it says of a value is escaped."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template(template).render(values)
