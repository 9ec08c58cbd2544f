import { Type } from '../../schema/index.js';
import { annotate } from './annotate.js';

/** Where a page for operators listens. The check `loopback` holds it to this machine. */
export const pageAddress = Type.String({
  default: '127.0.0.1',
  maxLength: 40,
  ...annotate('Its address. Only this machine reaches it: an operator on another one uses a tunnel.', {
    expected: 'a loopback address such as 127.0.0.1 or ::1',
    check: 'loopback',
  }),
});
