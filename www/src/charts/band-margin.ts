/** Space left of the bands for byte labels, above for the lanes, below for the horizontal scale. */
export const MARGIN = { left: 72, top: 46, bottom: 20 };
