/** A local time without zone, kept in the UTC fields of a Date so that no daylight saving rule touches it. */
export type LocalTime = Date;

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;
const DAY_MS = 86_400_000;

/** The local fields of `now`, or of a text 'YYYY-MM-DDTHH:mm:ss'; undefined when the text is no such time. */
export function toLocalTime(now: Date | string): LocalTime | undefined {
  if (typeof now !== 'string') {
    if (Number.isNaN(now.getTime())) return undefined;
    return new Date(
      Date.UTC(now.getFullYear(), now.getMonth(), now.getDate(), now.getHours(), now.getMinutes(), now.getSeconds()),
    );
  }
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?$/.test(now)) return undefined;
  const time = new Date(`${now}Z`);
  return Number.isNaN(time.getTime()) ? undefined : time;
}

/**
 * Python's strftime in the C locale, for a time without zone: `%z` and `%Z` give nothing, a `-` flag drops padding.
 * Unknown codes stay as they are. Source: C99 7.23.3.5 and glibc's `%-d`, `%e`, `%F`, `%T`.
 */
export function strftime(format: string, time: LocalTime): string {
  return format.replace(/%(-?)([a-zA-Z%])/g, (whole, flag: string, code: string) => {
    const text = field(code, time);
    if (text === undefined) return whole;
    return flag === '-' ? text.replace(/^[0 ]+(?=\d)/, '') : text;
  });
}

function field(code: string, time: LocalTime): string | undefined {
  const day = time.getUTCDay();
  const hour = time.getUTCHours();
  const month = String(MONTHS[time.getUTCMonth()]);
  switch (code) {
    case 'Y':
      return pad(time.getUTCFullYear(), 4);
    case 'C':
      return pad(Math.floor(time.getUTCFullYear() / 100));
    case 'y':
      return pad(time.getUTCFullYear() % 100);
    case 'm':
      return pad(time.getUTCMonth() + 1);
    case 'B':
      return month;
    case 'b':
    case 'h':
      return month.slice(0, 3);
    case 'd':
      return pad(time.getUTCDate());
    case 'e':
      return pad(time.getUTCDate(), 2, ' ');
    case 'j':
      return pad(dayOfYear(time) + 1, 3);
    case 'A':
      return String(DAYS[day]);
    case 'a':
      return String(DAYS[day]).slice(0, 3);
    case 'w':
      return String(day);
    case 'u':
      return String(day === 0 ? 7 : day);
    case 'U':
      return pad(Math.floor((dayOfYear(time) + 7 - day) / 7));
    case 'W':
      return pad(Math.floor((dayOfYear(time) + 7 - ((day + 6) % 7)) / 7));
    case 'G':
      return pad(isoThursday(time).getUTCFullYear(), 4);
    case 'V':
      return pad(Math.floor(dayOfYear(isoThursday(time)) / 7) + 1);
    case 'H':
      return pad(hour);
    case 'I':
      return pad(hour % 12 === 0 ? 12 : hour % 12);
    case 'p':
      return hour < 12 ? 'AM' : 'PM';
    case 'M':
      return pad(time.getUTCMinutes());
    case 'S':
      return pad(time.getUTCSeconds());
    case 'f':
      return pad(time.getUTCMilliseconds() * 1000, 6);
    case 'F':
      return strftime('%Y-%m-%d', time);
    case 'T':
    case 'X':
      return strftime('%H:%M:%S', time);
    case 'R':
      return strftime('%H:%M', time);
    case 'D':
    case 'x':
      return strftime('%m/%d/%y', time);
    case 'c':
      return strftime('%a %b %e %H:%M:%S %Y', time);
    case 'r':
      return strftime('%I:%M:%S %p', time);
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'z':
    case 'Z':
      return '';
    case '%':
      return '%';
    default:
      return undefined;
  }
}

function pad(value: number, width = 2, fill = '0'): string {
  return String(value).padStart(width, fill);
}

/** Days since the first of January of the same year. */
function dayOfYear(time: Date): number {
  return Math.floor((time.getTime() - Date.UTC(time.getUTCFullYear(), 0, 1)) / DAY_MS);
}

/** The Thursday of the same ISO week: its year and its week number are the week's. Source: ISO 8601. */
function isoThursday(time: Date): Date {
  return new Date(time.getTime() + (3 - ((time.getUTCDay() + 6) % 7)) * DAY_MS);
}
