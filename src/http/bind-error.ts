import { AppError } from '../base/index.js';

/** The error of ours for a failed `listen` system call. */
export function bindError(error: NodeJS.ErrnoException, host: string, port: number): AppError {
  const details = { host, port, cause: error.code ?? error.name };
  if (error.code === 'EADDRINUSE') {
    return new AppError(
      'address_in_use',
      `port ${port} of ${host} is in use by another process; choose another`,
      details,
    );
  }
  const said = error.code === undefined ? error.message : `the system says ${error.code}`;
  const why = error.code === 'EACCES' ? 'this process may not use it' : said;
  return new AppError('address_unavailable', `cannot listen on port ${port} of ${host}: ${why}`, details);
}
