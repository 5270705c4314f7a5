"""Appearance of the HTML document of a landscape: scale, colours, labels, theme and camera."""

from typing import Literal, NamedTuple

Scale = Literal["linear", "log"]
Theme = Literal["light", "dark"]
Lang = Literal["en", "zh"]
Colours = Literal["viridis", "cividis", "magma", "blue-orange"]


class Labels(NamedTuple):
    """The labels in one language."""

    direction: str
    component: str
    loss: str
    start: str
    end: str
    converged: str
    path: str
    stems: str
    plane: str
    gap: str
    residual: str
    clipped: str


LABELS: dict[str, Labels] = {
    "en": Labels(
        direction="direction",
        component="principal component",
        loss="loss",
        start="start",
        end="end",
        converged="converged",
        path="training path",
        stems="from the plane to the real loss",
        plane="on the plane",
        gap="gap",
        residual="off the plane",
        clipped="clipped above {top:.3g}",
    ),
    "zh": Labels(
        direction="方向",
        component="主成分",
        loss="损失",
        start="起点",
        end="终点",
        converged="收敛点",
        path="训练路径",
        stems="从平面到真实损失",
        plane="平面上",
        gap="差距",
        residual="偏离平面",
        clipped="高于 {top:.3g} 处截断",
    ),
}


class ThemeColours(NamedTuple):
    """The colours of one theme."""

    surface: str
    text: str
    grid: str
    path: str


THEME_COLOURS: dict[str, ThemeColours] = {
    "light": ThemeColours("#ffffff", "#18202c", "#c6cfdb", "#cc6a12"),
    "dark": ThemeColours("#141a22", "#e3e8ef", "#3a4656", "#f0954c"),
}


class Camera(NamedTuple):
    """The camera in Plotly's coordinates: the position of the eye and the centre of the view."""

    x: float
    y: float
    z: float
    centre_x: float
    centre_y: float
    centre_z: float


class Appearance(NamedTuple):
    """The appearance of a figure."""

    scale: Scale = "linear"
    """Scale of the losses; with "log", losses without a logarithm are omitted."""
    colours: Colours = "viridis"
    theme: Theme = "light"
    lang: Lang = "en"
    top: float | None = None
    """The loss at which the surface is clipped; None for no clipping."""
    path_colours: tuple[str, ...] = ()
    """Colours of the paths, in their order, as #rrggbb; other paths have the colour of the theme."""
    camera: Camera | None = None
    """None for a view from above the lowest of the four corners."""
