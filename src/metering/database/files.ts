/** The file of usage, keys and reservations. */
export const METERING_FILE = 'metering.sqlite';
/** The file of the audit log. */
export const AUDIT_FILE = 'audit.sqlite';
