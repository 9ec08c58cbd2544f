import { AppError, suggestion } from '../../../base/index.js';

/** `gateway_config_edit`: a list has no entry of an id. */
export function unknownEntry(list: string, id: string, ids: readonly string[]): AppError {
  return new AppError('gateway_config_edit', `${list} has no entry ${id.slice(0, 64)}.${suggestion(id, ids)}`, {
    list,
  });
}
