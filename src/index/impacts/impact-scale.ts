/** Weights are kept as whole hundredths: what rounding changes is far below what differs between models. */
export const IMPACT_SCALE = 100;
