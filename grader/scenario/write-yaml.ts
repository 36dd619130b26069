/** What writes scenario files: the parts of the YAML package that keep comments and the order of keys. */
export { Document, isMap, isScalar, isSeq, Pair, parseDocument, Scalar, YAMLMap, YAMLSeq } from "yaml";
