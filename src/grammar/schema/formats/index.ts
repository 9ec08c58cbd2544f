import { date } from './date.js';
import { dateTime } from './date-time.js';
import { email } from './email.js';
import type { Format } from './format.js';
import { hostname } from './hostname.js';
import { ipv4 } from './ipv4.js';
import { ipv6 } from './ipv6.js';
import { time } from './time.js';
import { uri } from './uri.js';
import { uuid } from './uuid.js';

/** The formats that are enforced, by name. Others are annotations. */
export const formats: ReadonlyMap<string, Format> = new Map(
  [date, time, dateTime, email, hostname, ipv4, ipv6, uri, uuid].map((format) => [format.name, format]),
);

/** The name of each, and the part of its standard that it leaves out; empty without one. */
export const enforcedFormats: readonly Pick<Format, 'name' | 'narrower'>[] = [...formats.values()];
