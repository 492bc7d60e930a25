// Whoever sees few colours has to tell the categories apart as well: the palettes as they look without one kind of
// cones, after Machado, Oliveira and Fernandes (2009, severity 1), and how far apart they are by CIEDE2000.
//
// How far is far enough: the bands of one category differ in lightness among themselves, for most colours by up to
// ten, so two categories have to differ by more or a band of one could be one of the other; and ten is where two
// colours are usually seen to differ at a glance, without lying side by side. With all cones there is room for more.
// The grounds of both themes are farther, since a band on its ground has to be seen at all.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { CATEGORY_COLOURS, TURN } from "../src/charts/palette";

type Triple = readonly [number, number, number];

const APART = 10;
const APART_IN_FULL = 13;
const FROM_GROUND = 15;

const SIGHTS: Readonly<Record<string, readonly number[]>> = {
  "all colours": [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protanopia: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deuteranopia: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  tritanopia: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
};

const channels = (hex: string): number[] => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
const linear = (value: number) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);

/** CIE Lab of linear sRGB under D65. */
function lab([r, g, b]: Triple): Triple {
  const f = (t: number) => (t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116);
  const x = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
  const y = f(0.2126729 * r + 0.7151522 * g + 0.072175 * b);
  const z = f((0.0193339 * r + 0.119192 * g + 0.9503041 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function seen(rgb: readonly number[], sight: readonly number[]): Triple {
  const light = rgb.map(linear);
  const row = (at: number) => Math.min(1, Math.max(0, [0, 1, 2].reduce((sum, i) => sum + (sight[at * 3 + i] ?? 0) * (light[i] ?? 0), 0)));
  return lab([row(0), row(1), row(2)]);
}

/** CIEDE2000. */
function difference([l1, a1, b1]: Triple, [l2, a2, b2]: Triple): number {
  const degrees = Math.PI / 180;
  const chroma = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2;
  const g = 0.5 * (1 - Math.sqrt(chroma ** 7 / (chroma ** 7 + 25 ** 7)));
  const [p1, p2] = [a1 * (1 + g), a2 * (1 + g)];
  const [c1, c2] = [Math.hypot(p1, b1), Math.hypot(p2, b2)];
  const hue = (a: number, b: number) => (a === 0 && b === 0 ? 0 : (Math.atan2(b, a) / degrees + 360) % 360);
  const [h1, h2] = [hue(p1, b1), hue(p2, b2)];
  const isGrey = c1 * c2 === 0;
  const turn = isGrey ? 0 : ((h2 - h1 + 540) % 360) - 180;
  const middleHue = isGrey ? h1 + h2 : Math.abs(h1 - h2) <= 180 ? (h1 + h2) / 2 : (h1 + h2 + (h1 + h2 < 360 ? 360 : -360)) / 2;
  const [l, c] = [(l1 + l2) / 2, (c1 + c2) / 2];
  const t = 1 - 0.17 * Math.cos((middleHue - 30) * degrees) + 0.24 * Math.cos(2 * middleHue * degrees) + 0.32 * Math.cos((3 * middleHue + 6) * degrees) - 0.2 * Math.cos((4 * middleHue - 63) * degrees);
  const lightness = (l2 - l1) / (1 + (0.015 * (l - 50) ** 2) / Math.sqrt(20 + (l - 50) ** 2));
  const saturation = (c2 - c1) / (1 + 0.045 * c);
  const angle = (2 * Math.sqrt(c1 * c2) * Math.sin((turn / 2) * degrees)) / (1 + 0.015 * c * t);
  const rotation = -Math.sin(60 * Math.exp(-(((middleHue - 275) / 25) ** 2)) * degrees) * 2 * Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7));
  return Math.sqrt(lightness ** 2 + saturation ** 2 + angle ** 2 + rotation * saturation * angle);
}

test("the measure gives the values of Sharma, Wu and Dalal", () => {
  for (const [a, b, wanted] of [
    [[50, 2.6772, -79.7751], [50, 0, -82.7485], 2.0425],
    [[50, 3.1571, -77.2803], [50, 0, -82.7485], 2.8615],
    [[50, 2.5, 0], [73, 25, -18], 27.1492],
    [[60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644],
    [[22.7233, 20.0904, -46.694], [23.0331, 14.973, -42.5619], 2.0373],
    [[2.0776, 0.0795, -1.135], [0.9033, -0.0636, -0.5514], 0.9082],
  ] as const)
    assert.ok(Math.abs(difference(a, b) - wanted) < 5e-5, `${difference(a, b)} is not ${wanted}`);
});

/** The grounds of both themes, as the style sheet has them. */
function grounds(): Record<string, string> {
  const style = readFileSync("www/src/theme/colours.css", "utf8");
  const [light, dark] = [...style.matchAll(/--bg: (#[0-9a-f]{6})/g)].map((match) => match[1] ?? "");
  assert.ok(light && dark);
  return { light, dark };
}

const palettes: Readonly<Record<string, Readonly<Record<string, string>>>> = { categories: CATEGORY_COLOURS, "other classes": Object.fromEntries(TURN.map((css, at) => [`no. ${at + 1}`, css])) };

for (const [name, palette] of Object.entries(palettes))
  for (const [sight, matrix] of Object.entries(SIGHTS))
    test(`${name} are told apart with ${sight}`, () => {
      const entries = Object.entries(palette).map(([id, css]) => ({ id, at: seen(channels(css), matrix) }));
      const wrong: string[] = [];
      const need = (a: string, b: string, found: number, least: number) => {
        if (found < least) wrong.push(`${a} and ${b}: ${found.toFixed(1)} of ${least}`);
      };
      entries.forEach((a, i) => {
        for (const b of entries.slice(i + 1)) need(a.id, b.id, difference(a.at, b.at), sight === "all colours" ? APART_IN_FULL : APART);
        for (const [theme, css] of Object.entries(grounds())) need(a.id, `the ${theme} ground`, difference(a.at, seen(channels(css), matrix)), FROM_GROUND);
      });
      assert.deepEqual(wrong, []);
    });

test("two bands of one category are less apart than it is from any other", () => {
  // As the core shades them: the channels times the least and the greatest of its factors.
  const shade = (css: string, factor: number) => channels(css).map((value) => Math.min(255, Math.floor((value * factor) / 256)));
  for (const palette of Object.values(palettes))
    for (const css of Object.values(palette))
      for (const [sight, matrix] of Object.entries(SIGHTS)) {
        const among = difference(seen(shade(css, 236), matrix), seen(shade(css, 286), matrix));
        const from = Math.min(...Object.values(palette).filter((other) => other !== css).map((other) => difference(seen(channels(css), matrix), seen(channels(other), matrix))));
        assert.ok(among < from, `${css} with ${sight}: ${among.toFixed(1)} among its bands, ${from.toFixed(1)} from the next`);
      }
});
