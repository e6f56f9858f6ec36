"""Pictures of products, drawn here: nothing is fetched and no font is needed."""

import random
from collections.abc import Callable
from io import BytesIO

from PIL import Image, ImageColor, ImageDraw, ImageFilter

from storeapi.demo.chance import chance_of
from storeapi.demo.words import COLOURS

SIZE = 600
_MAX_PIXELS = SIZE * SIZE

Box = tuple[float, float, float, float]


def draw(code: str, colour: int, *, seed: int) -> bytes:
    """Draw a product of a type in a colour, as a JPEG file.

    Shapes: `code` is the type's code, `colour` a place in `COLOURS`.
    Units: 600 x 600 pixels.
    """
    chance = chance_of(f"{seed} picture")
    paint = ImageColor.getrgb(COLOURS[colour][2])
    picture = _background(chance)
    _shadow(picture)
    shape = _SHAPES[sum(map(ord, code)) % len(_SHAPES)]
    shape(ImageDraw.Draw(picture), paint, chance)
    file = BytesIO()
    picture.save(file, "JPEG", quality=82)
    return file.getvalue()


def _background(chance: random.Random) -> Image.Image:
    top = chance.randint(238, 250)
    strip = Image.new("RGB", (1, 2))
    strip.putpixel((0, 0), (top, top - 2, top - 6))
    strip.putpixel((0, 1), (top - 32, top - 34, top - 38))
    return strip.resize((SIZE, SIZE), Image.Resampling.BICUBIC)


def _shadow(picture: Image.Image) -> None:
    mask = Image.new("L", picture.size, 0)
    ImageDraw.Draw(mask).ellipse((130, 450, 470, 520), fill=110)
    dark = Image.new("RGB", picture.size, (70, 66, 60))
    picture.paste(dark, mask=mask.filter(ImageFilter.GaussianBlur(18)))


Rgb = tuple[int, ...]
Shape = Callable[[ImageDraw.ImageDraw, Rgb, random.Random], None]


def _shade(paint: Rgb, by: float) -> Rgb:
    return tuple(max(0, min(255, round(part * by))) for part in paint[:3])


def _vessel(pen: ImageDraw.ImageDraw, paint: Rgb, chance: random.Random) -> None:
    """A body with a rim and a handle."""
    left, right = 190, 390 + chance.randint(0, 30)
    top = chance.randint(190, 240)
    handle = (right - 30, top + 50, right + 90, 420)
    pen.arc(handle, 250, 110, fill=_shade(paint, 0.75), width=26)
    pen.rounded_rectangle((left, top, right, 490), radius=46, fill=paint)
    pen.rectangle((left, top, left + 34, 440), fill=_shade(paint, 1.12))
    pen.ellipse((left, top - 26, right, top + 26), fill=_shade(paint, 0.6))


def _cloth(pen: ImageDraw.ImageDraw, paint: Rgb, chance: random.Random) -> None:
    """A soft square with stripes."""
    box = (140, 180, 460, 480)
    pen.rounded_rectangle(box, radius=chance.randint(30, 70), fill=paint)
    step = chance.choice((30, 42, 56))
    for x in range(170, 440, step):
        pen.line((x, 196, x, 464), fill=_shade(paint, 0.85), width=step // 4)


def _board(pen: ImageDraw.ImageDraw, paint: Rgb, chance: random.Random) -> None:
    """A flat piece with a grain and a hole."""
    top = chance.randint(170, 220)
    pen.rounded_rectangle((170, top, 430, 490), radius=26, fill=paint)
    for y in range(top + 30, 480, chance.randint(18, 34)):
        pen.line((186, y, 414, y + 8), fill=_shade(paint, 0.9), width=3)
    pen.ellipse((282, top + 18, 318, top + 54), fill=(226, 224, 219))


def _tall(pen: ImageDraw.ImageDraw, paint: Rgb, chance: random.Random) -> None:
    """A neck over a round body."""
    neck = chance.randint(36, 62)
    pen.rectangle((300 - neck, 150, 300 + neck, 330), fill=_shade(paint, 0.92))
    pen.ellipse((180, 270, 420, 495), fill=paint)
    pen.ellipse((220, 300, 268, 400), fill=_shade(paint, 1.15))
    rim = (300 - neck - 8, 138, 300 + neck + 8, 166)
    pen.ellipse(rim, fill=_shade(paint, 0.6))


_SHAPES: tuple[Shape, ...] = (_vessel, _cloth, _board, _tall)
