# Freeze niwaki into firmware: include("path/to/niwaki/manifest.py"); less: parts="grove", "tree", "shrubs".
import json

options.defaults(parts="")
with open(f"package-{options.parts}.json" if options.parts else "package.json") as f:
    wanted = json.load(f)
metadata(description="Decision trees that learn on the microcontroller", version=wanted["version"])
package("niwaki", files=[target.split("/", 1)[1] for target, _ in wanted["urls"]], base_path="mcu")
