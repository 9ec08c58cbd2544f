// IP addresses, their classes, and connections to allowed ones. Knows no protocol and no product.
export { bitsOf, formatIpAddress, parseIpAddress, type IpAddress } from './ip-address.js';
export { classOf, mayContact, mayServe, toPlainAddress, type AddressClass } from './address-class.js';
export {
  ADDRESS_REFUSED,
  checkedConnector,
  createCheckedLookup,
  lookUpInSystem,
  type LookUpAll,
  type MayConnect,
} from './checked-connect.js';
export { createHostLookups, type HostLookups, type HostLookupsOptions } from './host-lookups.js';
export { parseAddressRange, type AddressRange } from './address-range.js';
export { findUrlOddity, type UrlOddity } from './url-oddity.js';
export { isBroadcast, isOwnListener, type NetworkInterfaces, type OwnListener } from './own-listener.js';
