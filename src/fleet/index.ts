export { encodeNumberedOnFleet, encodeOnFleet } from './encode-on-fleet.js';
export { FleetClient, type FleetPlace } from './fleet-client.js';
export { FleetEncoder, type FleetEncoderOptions } from './fleet-encoder.js';
export { folderHash } from './fleet-store.js';
export {
  type FleetMemberOptions,
  type LoadedModel,
  runFleetMember,
  type ThreadStart,
} from './run-fleet-member.js';
