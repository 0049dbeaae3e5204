"""The bill of materials of the packaged app (CycloneDX 1.6, JSON): what is inside, in which version, under which terms."""

import os
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime

from contents import project
from cyclonedx.model import ExternalReference, ExternalReferenceType, Property, XsUri
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component as Entry
from cyclonedx.model.component import ComponentType
from cyclonedx.model.license import DisjunctiveLicense, LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.spdx import is_expression, is_supported_id
from inventory import Component
from packageurl import PackageURL

NAMESPACE = uuid.UUID("6b0e1f0c-5c0b-4c53-9c6b-3c7f6f1b7a52")


def bill_of_materials(components: Sequence[Component], system: str) -> str:
    """The document; the same components give the same text (`SOURCE_DATE_EPOCH` is its time)."""
    version = project()["version"]
    bom = Bom(
        serial_number=uuid.uuid5(NAMESPACE, f"{version} {system} {sorted(component.purl for component in components)}"),
    )
    bom.metadata.timestamp = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "1577836800")), UTC)
    app = _entry(next(component for component in components if component.name == "Outrider"), ComponentType.APPLICATION)
    app.properties.add(Property(name="outrider:system", value=system))
    bom.metadata.component = app
    entries = [_entry(component) for component in components if component.name != "Outrider"]
    bom.components.update(entries)
    bom.register_dependency(app, entries)
    return str(JsonV1Dot6(bom).output_as_string(indent=1)) + "\n"


def _entry(component: Component, kind: ComponentType = ComponentType.LIBRARY) -> Entry:
    reference = f"{component.name}@{component.version}"
    parts = {(part.name, part.version): part for part in component.parts}.values()
    entry = Entry(
        name=component.name,
        version=component.version,
        type=kind,
        bom_ref=reference,
        purl=PackageURL.from_string(component.purl) if component.purl else None,
        licenses=[_licence(component.licence)] if component.licence else [],
        components=[_part(part, reference) for part in parts],
    )
    if component.source:
        entry.external_references.add(
            ExternalReference(type=ExternalReferenceType.SOURCE_DISTRIBUTION, url=XsUri(component.source))
        )
    return entry


def _part(part: Component, inside: str) -> Entry:
    entry = _entry(part)
    entry.bom_ref.value = f"{inside}/{part.name}@{part.version}"
    return entry


def _licence(terms: str) -> DisjunctiveLicense | LicenseExpression:
    if is_supported_id(terms):
        return DisjunctiveLicense(id=terms)
    return LicenseExpression(terms) if is_expression(terms) else DisjunctiveLicense(name=terms)
