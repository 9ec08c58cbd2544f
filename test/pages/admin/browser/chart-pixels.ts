import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** What a chart says, and what it draws. */
export interface SeenChart {
  readonly title: string;
  /** What the legend says of each series while nothing is pointed at. */
  readonly legend: readonly { readonly label: string; readonly value: string }[];
  /** Pixels of the colour of each series: in the last steps, and before them. */
  readonly pixels: readonly { readonly last: number; readonly before: number }[];
}

/** A wide screen and a telephone, in pixels. */
export const SIZES = { wide: { width: 1280, height: 860 }, narrow: { width: 375, height: 780 } } as const;
/** Both in light and in dark. */
export const LOOKS = (['light', 'dark'] as const).flatMap((colorScheme) =>
  (['wide', 'narrow'] as const).map((size) => ({ name: `${size}, ${colorScheme}`, colorScheme, size })),
);

/** A value that a legend has where there was nothing. */
const NOTHING = /^(?:–|0|0ms|[^\d]*0\.00)$/;

/** The share of the width at the right in which the last minutes, hours or days are, with half a bar of the widest kind. */
const LAST_SHARE = 0.14;

/** Reads the canvas of each chart of a page: each pixel that has the colour of a series in the legend. */
export async function readCharts(page: Page): Promise<readonly SeenChart[]> {
  return page.evaluate<readonly SeenChart[]>(`(() => {
    const toRgb = (color) => {
      const canvas = document.createElement('canvas');
      canvas.width = canvas.height = 1;
      const context = canvas.getContext('2d');
      context.fillStyle = color;
      context.fillRect(0, 0, 1, 1);
      return context.getImageData(0, 0, 1, 1).data;
    };
    return [...document.querySelectorAll('.chart')].map((chart) => {
      const canvas = chart.querySelector('canvas');
      const over = chart.querySelector('.u-over');
      const ratio = canvas.width / canvas.clientWidth;
      const [place, plot] = [canvas.getBoundingClientRect(), over.getBoundingClientRect()];
      const [left, top] = [Math.round((plot.left - place.left) * ratio), Math.round((plot.top - place.top) * ratio)];
      const [width, height] = [Math.round(plot.width * ratio), Math.round(plot.height * ratio)];
      const { data } = canvas.getContext('2d').getImageData(left, top, width, height);
      const entries = [...chart.querySelectorAll('.chart-legend > [class^="legend"]')];
      const pixels = entries.map((entry) => {
        const [r, g, b] = toRgb(getComputedStyle(entry, '::before').backgroundColor);
        const counted = { last: 0, before: 0 };
        for (let i = 0; i < data.length; i += 4) {
          if (data[i + 3] < 200 || Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) > 12) continue;
          const x = (i / 4) % width;
          counted[x >= width * ${1 - LAST_SHARE} ? 'last' : 'before']++;
        }
        return counted;
      });
      const legend = entries.map((entry) => ({
        label: entry.firstChild.textContent.trim(),
        value: entry.querySelector('b').textContent,
      }));
      return { title: chart.querySelector('.chart-title').textContent, legend, pixels };
    });
  })()`);
}

/** Where the legend has a value there are pixels of its colour in the last steps, and nowhere are pixels of nothing. */
export function expectPixels(name: string, charts: readonly SeenChart[]): void {
  for (const { title, legend, pixels } of charts) {
    for (const [i, { label, value }] of legend.entries()) {
      const { last = 0, before = 0 } = pixels[i] ?? {};
      const about = [name, title, label, value];
      expect([...about, last > 0, before]).toEqual([...about, !NOTHING.test(value), 0]);
    }
  }
}

/** The values that the legend of the first chart has of some series. */
export function legendValues(
  [first]: readonly SeenChart[],
  ...labels: readonly string[]
): readonly (string | undefined)[] {
  return labels.map((each) => first?.legend.find(({ label }) => label === each)?.value);
}
