import type { Page } from 'playwright-core';

/** What a chart says, and what it draws. */
export interface SeenChart {
  readonly title: string;
  /** What the legend says of each series while nothing is pointed at. */
  readonly legend: readonly { readonly label: string; readonly value: string }[];
  /** Pixels of the colour of each series: in the last steps, and before them. */
  readonly pixels: readonly { readonly last: number; readonly before: number }[];
}

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
