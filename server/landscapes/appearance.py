"""How the document of a landscape looks: its scale and colours, its words, its inks, its camera."""

from typing import Literal, NamedTuple

Scale = Literal["linear", "log"]
Theme = Literal["light", "dark"]
Lang = Literal["en", "zh"]
Colours = Literal["viridis", "cividis", "magma", "blue-orange"]


class Words(NamedTuple):
    """What is said in one language."""

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


WORDS: dict[str, Words] = {
    "en": Words(
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
    "zh": Words(
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


class Inks(NamedTuple):
    """The colours of one theme."""

    surface: str
    text: str
    grid: str
    path: str


INKS: dict[str, Inks] = {
    "light": Inks("#ffffff", "#18202c", "#c6cfdb", "#cc6a12"),
    "dark": Inks("#141a22", "#e3e8ef", "#3a4656", "#f0954c"),
}


class Camera(NamedTuple):
    """Where a surface is looked at from and what is in the middle, in plotly's terms."""

    x: float
    y: float
    z: float
    centre_x: float
    centre_y: float
    centre_z: float


class Look(NamedTuple):
    """How a figure looks."""

    scale: Scale = "linear"
    """Of the losses: their logarithms are drawn when it is "log"; those that have none are left out."""
    colours: Colours = "viridis"
    theme: Theme = "light"
    lang: Lang = "en"
    top: float | None = None
    """The loss at which the surface ends; None: it is drawn in full."""
    path_colours: tuple[str, ...] = ()
    """Of the paths, in their order, as #rrggbb; those left have the theme's."""
    camera: Camera | None = None
    """None: over the lowest of the four corners."""
