export { type EncodeOnFleetOptions, encodeOnFleet } from './encode-on-fleet.js';
export { FleetEncoder, type FleetEncoderOptions } from './fleet-encoder.js';
export { type FleetMemberOptions, runFleetMember } from './run-fleet-member.js';
