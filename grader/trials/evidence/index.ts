export { artifactOf, kindOfFile, sha256OfFile } from "./artifact.ts";
export { RECORDING_LIMITS, type RecordingLimits } from "./budget.ts";
export { type EvidenceMode, evidenceMode, keepEvidence } from "./keep.ts";
export { type MarkerOffset, offsetsIn } from "./offsets.ts";
export { type Recorder, type RecorderOrder, startRecorder } from "./recorder.ts";
