import { X509Certificate } from "node:crypto";
import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { authorityFolder } from "../certs/location.ts";
import { bad, type Check, good, reasonOf, type Surroundings, unsure } from "./doctor-check.ts";

const DAY_MS = 86_400_000;

/** The certificate authority: there, valid, and its key private. */
export async function authority({ env, now }: Surroundings): Promise<Check[]> {
  const place = authorityFolder(env);
  const make = async (): Promise<string> => {
    const { openAuthority } = await import("../certs/authority.ts");
    const { authority: made } = await openAuthority(place);
    return `made ${made.certFile}`;
  };
  const file = join(place, "waymark-ca.pem");
  if (!existsSync(file)) {
    return [
      {
        ...unsure(
          "authority",
          "there is no certificate authority yet; the first proxy makes one",
          "waymark doctor --fix",
        ),
        mend: make,
      },
    ];
  }
  try {
    const until = new Date(new X509Certificate(readFileSync(file)).validTo);
    const date = until.toISOString().slice(0, 10);
    const isOver = until.getTime() - now < 30 * DAY_MS;
    const age = isOver
      ? { ...bad("authority", `the certificate authority ends on ${date}`, "waymark doctor --fix"), mend: make }
      : good("authority", `the certificate authority is valid until ${date}: ${file}`);
    return [age, ...exposure(place)];
  } catch (cause) {
    return [
      bad(
        "authority",
        `${file} cannot be read: ${reasonOf(cause)}`,
        `move ${JSON.stringify(place)} away; a new authority is made`,
      ),
    ];
  }
}

/** Files with a key in them that others can read (POSIX). */
function exposure(place: string): Check[] {
  if (process.platform === "win32") return [];
  const files = readdirSync(place).map((name) => join(place, name));
  const open = files.filter((file) => {
    const isOpen = statSync(file).isFile() && (statSync(file).mode & 0o077) !== 0;
    return isOpen && readFileSync(file, "latin1").includes("PRIVATE KEY");
  });
  if (open.length === 0) return [good("key", "its key can be read by nobody else")];
  const mend = async (): Promise<string> => {
    for (const file of open) chmodSync(file, 0o600);
    return `made ${open.join(", ")} private`;
  };
  return [
    {
      ...bad(
        "key",
        "its private key can be read by others",
        `chmod 600 ${open.map((file) => JSON.stringify(file)).join(" ")}`,
      ),
      mend,
    },
  ];
}
