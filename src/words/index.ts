// Names and formats of things, states, amounts and numbers, the same on pages, in commands and in messages.
export { amountText, countText, MICRO_DECIMALS, moneyFormat, moneyText, toAmount } from './amounts.js';
export { headsOf, LABELS, type LabelName } from './labels.js';
export { counted, plural } from './plural.js';
export {
  BOOKINGS,
  budgetText,
  gatewayStateText,
  originText,
  OUTCOMES,
  statusText,
  troubleText,
  unitText,
  windowText,
  type RequestEnd,
  type ReadGateway,
} from './states.js';
