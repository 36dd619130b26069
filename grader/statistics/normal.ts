import { betaQuantile } from "./beta.ts";
import { requireInside } from "./counts.ts";

type Polynomial = readonly number[];

/** Rational approximations of algorithm AS 241, PPND16 (Wichura 1988): numerator and denominator, lowest power first. */
const CENTRE: readonly [Polynomial, Polynomial] = [
  [
    3.3871328727963665, 133.14166789178438, 1971.5909503065513, 13731.69376550946, 45921.95393154987, 67265.7709270087,
    33430.57558358813, 2509.0809287301227,
  ],
  [
    1, 42.31333070160091, 687.1870074920579, 5394.196021424751, 21213.794301586597, 39307.89580009271,
    28729.085735721943, 5226.495278852854,
  ],
];
const MIDDLE: readonly [Polynomial, Polynomial] = [
  [
    1.4234371107496835, 4.630337846156546, 5.769497221460691, 3.6478483247632045, 1.2704582524523684,
    0.2417807251774506, 0.022723844989269184, 0.0007745450142783414,
  ],
  [
    1, 2.053191626637759, 1.6763848301838038, 0.6897673349851, 0.14810397642748008, 0.015198666563616457,
    0.0005475938084995345, 1.0507500716444169e-9,
  ],
];
const TAIL: readonly [Polynomial, Polynomial] = [
  [
    6.657904643501103, 5.463784911164114, 1.7848265399172913, 0.29656057182850487, 0.026532189526576124,
    0.0012426609473880784, 2.7115555687434876e-5, 2.0103343992922881e-7,
  ],
  [
    1, 0.599832206555888, 0.1369298809227358, 0.014875361290850615, 0.0007868691311456133, 1.8463183175100548e-5,
    1.421511758316446e-7, 2.0442631033899397e-15,
  ],
];

/** The standard normal quantile, to about 1e-15 relative (Wichura 1988, AS 241); `probability` strictly inside 0..1. */
export function normalQuantile(probability: number): number {
  requireInside("probability", probability);
  const fromCentre = probability - 0.5;
  if (Math.abs(fromCentre) <= 0.425) return fromCentre * ratio(CENTRE, 0.180625 - fromCentre * fromCentre);
  const distance = Math.sqrt(-Math.log(Math.min(probability, 1 - probability)));
  const size = distance <= 5 ? ratio(MIDDLE, distance - 1.6) : ratio(TAIL, distance - 5);
  return fromCentre < 0 ? -size : size;
}

function ratio([numerator, denominator]: readonly [Polynomial, Polynomial], at: number): number {
  const value = (polynomial: Polynomial) => polynomial.reduceRight((sum, coefficient) => sum * at + coefficient, 0);
  return value(numerator) / value(denominator);
}

/** The z with `level` of the normal law between -z and z: 1.96 for 0.95. */
export function normalMultiplier(level: number): number {
  requireInside("level", level);
  return normalQuantile(1 - (1 - level) / 2);
}

/**
 * The t with `level` of Student's law between -t and t (Student 1908), through the beta quantile: 2.776 for 0.95 and 4
 * degrees of freedom. `degrees` is positive, else a `RangeError`.
 */
export function studentMultiplier(level: number, degrees: number): number {
  requireInside("level", level);
  if (!(degrees > 0)) throw new RangeError(`degrees of freedom must be positive, got ${degrees}`);
  const share = betaQuantile(1 - level, degrees / 2, 0.5);
  return Math.sqrt((degrees * (1 - share)) / share);
}
