// The entry of the chat page, which index.html loads. build.mjs builds it for browsers; the engine imports nothing of
// it.
import { openPage } from './open-page.js';

const place = document.getElementById('page');
if (place !== null) openPage(place);
