import type { VNode } from 'preact';

/** Paths on a grid of 24 by 24, drawn for these pages. */
const PATHS = {
  menu: 'M4 7h16M4 12h16M4 17h16',
  plus: 'M12 5v14M5 12h14',
  send: 'M12 19V5M6 11l6-6 6 6',
  stop: 'M8 8h8v8H8z',
  settings: 'M4 8h9M19 8h1M4 16h1M11 16h9M16 5.5v5M8 13.5v5',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 3v1.5M12 19.5V21M3 12h1.5M19.5 12H21M5.6 5.6l1.1 1.1M17.3 17.3l1.1 1.1M5.6 18.4l1.1-1.1M17.3 6.7l1.1-1.1',
  moon: 'M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10z',
  copy: 'M9 9h10v11H9zM15 9V4H5v11h4',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  retry: 'M19 12a7 7 0 1 1-2.2-5.1M19 4v4h-4',
  trash: 'M5 7h14M10 7V4.5h4V7M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5',
  previous: 'M14 7l-5 5 5 5',
  next: 'M10 7l5 5-5 5',
  down: 'M12 5v14M6 13l6 6 6-6',
  save: 'M12 4v11M7 10.5l5 5 5-5M5 20h14',
  close: 'M6 6l12 12M18 6L6 18',
  search: 'M11 5a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM15.5 15.5L20 20',
  keyboard: 'M3 7h18v10H3zM7 11h.01M11 11h.01M15 11h.01M8 14h8',
  overview: 'M4 13h5l2.5-7 3 12 2-5H20',
  key: 'M15 4a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM11.3 12.7L4 20M7 17l2.5 2.5',
  model: 'M12 3l8 4.5v9L12 21l-8-4.5v-9zM4.3 7.7L12 12l7.7-4.3M12 12v8.6',
  runtime: 'M4 5h16v6H4zM4 13h16v6H4zM7.5 8h.01M7.5 16h.01',
  requests: 'M5 6h14M5 12h14M5 18h9M3 6h.01M3 12h.01M3 18h.01',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6',
  audit: 'M12 3l7 3v5c0 4.5-3 8-7 10-4-2-7-5.5-7-10V6zM9 11.5l2.2 2.2L15 10',
  metrics: 'M4 20V4M4 20h16M8 16v-4M12 16V8M16 16v-6',
  system: 'M7 7h10v10H7zM10 3v4M14 3v4M10 17v4M14 17v4M3 10h4M3 14h4M17 10h4M17 14h4',
  warning: 'M12 4l9 16H3zM12 10v4.5M12 17.2h.01',
  info: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 11v5M12 8h.01',
  leave: 'M10 4H5v16h5M14 8l4 4-4 4M18 12H9',
  pause: 'M9 6v12M15 6v12',
  play: 'M8 5l11 7-11 7z',
  radar: 'M12 12l6-6M12 4a8 8 0 1 0 8 8M12 8a4 4 0 1 0 4 4',
  user: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM5 20c.8-4 3.500-6 7-6s6.200 2 7 6',
} as const;

/** The names of the icons. */
export type IconName = keyof typeof PATHS;

/** A decorative icon beside text, or on a button with a name. Screen readers skip it. */
export function Icon({ name }: { readonly name: IconName }): VNode {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
