"""Humanoids written part by part, of which every role is known.

    text = Made(waist="zxy", leg="zxypYX", arm="yxzpZ").urdf()

Letters are the axes of joints, outward: x, y and z for turns about them, capital ones
for joints beyond knee or elbow, `p` for the knee or elbow itself, which turns about y.
"""

from dataclasses import dataclass, field

# Heights of parts with joints at zero [m], and how far limbs are to the side.
HIP, KNEE, ANKLE, SOLE = 0.9, 0.5, 0.1, 0.02
SHOULDER, ELBOW, WRIST = 1.4, 1.12, 0.88
HIPS, SHOULDERS = 0.1, 0.2
AXES = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1", "p": "0 1 0"}
TURNS = {"x": "roll", "y": "pitch", "z": "yaw"}
FOOT = '<box size="0.2 0.1 0.02"/>'


@dataclass
class Made:
    """A humanoid.

    Attributes:
        waist, neck: axes of their joints.
        leg, arm: axes of their joints, outward; "" for no arms.
        fingers: joints side by side on each hand.
        foot: shape of a foot, and where it is below the ankle.
        right_leg: axes of the right leg, where it differs.
        scale: factor on all lengths.
        ahead: how far the middle of a foot is ahead of its ankle [m].
        mirrored_axes: whether axes of the right side are those of the left, negated.
        extra: more elements, as text.
        effort: of every joint [N m]; "" for none.
    """

    waist: str = "z"
    neck: str = "zy"
    leg: str = "zxypYX"
    arm: str = "yxzpZ"
    fingers: int = 0
    foot: str = FOOT
    right_leg: str = ""
    scale: float = 1.0
    ahead: float = 0.03
    mirrored_axes: bool = False
    extra: str = ""
    effort: str = "200"
    limits: tuple[float, float] = (-2.4, 2.4)
    lines: list[str] = field(default_factory=list)

    def urdf(self) -> str:
        """The file."""
        self.lines = ['<robot name="made">']
        self._link("base", 10.0)
        trunk = self._chain(
            "waist", "base", self.waist, [1.0] * len(self.waist), 0.0, 1
        )
        head = self._chain("neck", trunk, self.neck, [1.5] * len(self.neck), 0.0, 1)
        del head
        for side, sign in (("l", 1), ("r", -1)):
            axes = self.right_leg if sign < 0 and self.right_leg else self.leg
            heights = _heights(axes, HIP, KNEE, ANKLE)
            foot = self._chain(f"{side}_leg", "base", axes, heights, sign * HIPS, sign)
            self._foot(foot, heights[-1])
            if self.arm:
                heights = _heights(self.arm, SHOULDER, ELBOW, WRIST)
                y = sign * SHOULDERS
                hand = self._chain(f"{side}_arm", trunk, self.arm, heights, y, sign)
                self._hand(side, hand, heights[-1])
        self.lines += [self.extra, "</robot>"]
        return "\n".join(self.lines) + "\n"

    def _link(self, name: str, mass: float, shape: str = "") -> None:
        i = 0.01 * mass * self.scale**2
        self.lines.append(
            f'<link name="{name}"><inertial><origin xyz="0 0 {-0.05 * self.scale}"/>'
            f'<mass value="{mass}"/><inertia ixx="{i}" iyy="{i}" izz="{i}" ixy="0" '
            f'ixz="0" iyz="0"/></inertial>'
            f"{shape}</link>"
        )

    def _joint(
        self, name: str, parent: str, child: str, xyz: tuple[float, ...], axis: str
    ) -> None:
        x, y, z = (self.scale * c for c in xyz)
        effort = f'effort="{self.effort}"' if self.effort else ""
        low, high = self.limits
        self.lines.append(
            f'<joint name="{name}" type="revolute"><parent link="{parent}"/>'
            f'<child link="{child}"/><origin xyz="{x} {y} {z}"/><axis xyz="{axis}"/>'
            f'<limit lower="{low}" upper="{high}" velocity="10" {effort}/></joint>'
        )

    def _chain(
        self,
        limb: str,
        parent: str,
        axes: str,
        heights: list[float],
        y: float,
        sign: int,
    ) -> str:
        """Joints of a limb, whose links are at heights; returns the last link."""
        at, side, place = parent, y, _BASES.get(parent, 1.0)
        for i, (letter, height) in enumerate(zip(axes, heights, strict=True)):
            axis = AXES[letter.lower()]
            if sign < 0 and self.mirrored_axes:
                axis = " ".join(str(-float(a)) for a in axis.split())
            link = f"{limb}_{i}"
            self._link(link, 1.5)
            self._joint(f"{limb}_j{i}", at, link, (0.0, side, height - place), axis)
            at, side, place = link, 0.0, height
        if limb == "waist":
            _BASES[at] = heights[-1] if heights else 1.0
        return at

    def _foot(self, link: str, height: float) -> None:
        """A foot fixed to the last link of a leg."""
        z = self.scale * (SOLE - 0.5 * 0.02 - height)
        if self.foot:
            shape = (
                f'<collision><origin xyz="{self.ahead * self.scale} 0 {z}"/>'
                f"<geometry>{self.foot}</geometry></collision>"
            )
            self._link(f"{link}_foot", 0.5, shape)
            self.lines.append(
                f'<joint name="{link}_fixed" type="fixed"><parent link="{link}"/>'
                f'<child link="{link}_foot"/></joint>'
            )

    def _hand(self, side: str, link: str, height: float) -> None:
        for k in range(self.fingers):
            name = f"{side}_finger{k}"
            self._link(name, 0.02)
            place = (0.02 * k, 0.0, -0.08)
            self._joint(f"{name}_j", link, name, place, AXES["y"])


_BASES: dict[str, float] = {"base": 1.0}


def _heights(axes: str, top: float, middle: float, bottom: float) -> list[float]:
    """Heights of the joints of a limb: before, at and after its knee or elbow."""
    knee = axes.index("p")
    return [top] * knee + [middle] + [bottom] * (len(axes) - knee - 1)
