// The entry of the operator page, which index.html loads. build.mjs builds it for browsers; the hosted API imports
// nothing of it.
import { openPage } from './open-page.js';

const place = document.getElementById('page');
if (place !== null) openPage(place);
