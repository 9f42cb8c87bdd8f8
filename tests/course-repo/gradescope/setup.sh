#!/bin/bash
# Run once, where Gradescope makes the image.
set -eu
apt-get update
apt-get install -y python3 python3-pip
pip3 install --break-system-packages "gpulearn[cuda]" || pip3 install "gpulearn[cuda]"
